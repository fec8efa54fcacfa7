<?php
$pid = pcntl_fork();
if ($pid === 0) {
    echo "child\n";
    exit(7);
}
$waited = pcntl_waitpid($pid, $status);
var_dump($waited === $pid, pcntl_wifexited($status), pcntl_wexitstatus($status));
$pid = pcntl_fork();
if ($pid === 0) {
    posix_kill(getmypid(), SIGKILL);
    sleep(10);
}
pcntl_wait($status);
var_dump(pcntl_wifsignaled($status), pcntl_wtermsig($status));
echo "parent\n";
