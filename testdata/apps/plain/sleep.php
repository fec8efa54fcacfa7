<?php

declare(strict_types=1);

/*
 * Blocks in a system call for ?ms=<n> milliseconds (default 100), or, with ?cpu=1, computes for that long.
 */

require_once __DIR__ . '/include/json_reply.php';

$milliseconds = max(0, (int) ($_GET['ms'] ?? 100));
$start = hrtime(true);

if (isset($_GET['cpu'])) {
    for ($hash = ''; hrtime(true) - $start < $milliseconds * 1_000_000;) {
        $hash = hash('sha256', $hash);
    }
} else {
    usleep(1000 * $milliseconds);
}

json_reply(['asked_ms' => $milliseconds, 'slept_ms' => intdiv(hrtime(true) - $start, 1_000_000), 'pid' => getmypid()]);
