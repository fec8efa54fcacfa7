<?php

declare(strict_types=1);

/*
 * Output in pieces, each flushed.
 *
 *   ?pieces=<n>  how many (default 5)
 *   ?ms=<n>      the pause between two (default 20)
 *   ?sse=1       as server-sent events
 */

$pieces = max(1, (int) ($_GET['pieces'] ?? 5));
$pause = max(0, (int) ($_GET['ms'] ?? 20));
$events = isset($_GET['sse']);

header('Content-Type: ' . ($events ? 'text/event-stream' : 'text/plain'));
header('Cache-Control: no-cache');
// nginx collects FastCGI output unless told not to.
header('X-Accel-Buffering: no');

for ($i = 1; $i <= $pieces; ++$i) {
    echo $events ? "id: {$i}\ndata: piece {$i}\n\n" : "piece {$i}\n";
    // output_buffering in php.ini adds a level of buffering that flush() alone does not reach.
    if (ob_get_level() > 0) {
        ob_flush();
    }
    flush();
    if ($i < $pieces) {
        usleep(1000 * $pause);
    }
}
