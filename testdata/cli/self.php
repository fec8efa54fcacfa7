<?php
// What frameworks do: PHP_BINARY as an array for proc_open, and in a shell's command line.
if (($argv[1] ?? '') === 'child') {
    echo 'child ', PHP_SAPI, ' ', implode(',', array_slice($argv, 2)), ' ', stream_get_contents(STDIN);
    exit(5);
}
var_dump(is_executable(PHP_BINARY), PHP_BINARY[0]);
$process = proc_open([PHP_BINARY, '-n', '-d', 'precision=3', __FILE__, 'child', '--flag', '-x', 'a b'],
    [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
fwrite($pipes[0], "from parent\n");
fclose($pipes[0]);
echo stream_get_contents($pipes[1]);
var_dump(proc_close($process));
passthru(escapeshellarg(PHP_BINARY) . ' -n ' . escapeshellarg(__FILE__) . ' child shell </dev/null', $status);
var_dump($status);
putenv("PARENT=" . PHP_BINARY);
passthru(escapeshellarg(PHP_BINARY) . " -n -r 'echo PHP_BINARY === getenv(\"PARENT\") ? \"same\" : PHP_BINARY;' </dev/null");
