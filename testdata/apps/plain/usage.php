<?php

declare(strict_types=1);

/*
 * PHP's memory use. ?allocate=<MiB> takes that much first, and lets go of it with the request.
 */

require_once __DIR__ . '/include/json_reply.php';

$block = str_repeat('x', max(0, (int) ($_GET['allocate'] ?? 0)) << 20);

json_reply([
    'usage' => memory_get_usage(),
    'usage_real' => memory_get_usage(true),
    'peak' => memory_get_peak_usage(),
    'peak_real' => memory_get_peak_usage(true),
    'limit' => ini_get('memory_limit'),
    'pid' => getmypid(),
]);
