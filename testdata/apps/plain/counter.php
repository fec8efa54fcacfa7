<?php

declare(strict_types=1);

/*
 * How this script runs: in worker mode `requests` counts what this process has served since the boot.
 */

require_once __DIR__ . '/include/json_reply.php';

// Both are set in the scope that worker.php includes this file in.
json_reply([
    'mode' => isset($requests) ? 'worker' : 'classic',
    'requests' => $requests ?? 1,
    'boot_id' => $bootId ?? null,
    'pid' => getmypid(),
]);
