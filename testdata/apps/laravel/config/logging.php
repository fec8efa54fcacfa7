<?php

declare(strict_types=1);

use Monolog\Handler\NullHandler;

return [
    'default' => 'errorlog',
    // This Laravel is older than the PHP that it runs on.
    'deprecations' => 'null',
    'channels' => [
        // PHP's error_log(), which the server collects.
        'errorlog' => ['driver' => 'errorlog', 'level' => 'debug'],
        'null' => ['driver' => 'monolog', 'handler' => NullHandler::class],
    ],
];
