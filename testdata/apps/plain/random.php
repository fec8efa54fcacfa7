<?php

declare(strict_types=1);

/*
 * One value of each random source. Two processes forked from one parent must never agree on any of them.
 */

require_once __DIR__ . '/include/json_reply.php';

json_reply([
    'mt_rand' => mt_rand(),
    'rand' => rand(),
    'random_int' => random_int(0, PHP_INT_MAX),
    'random_bytes' => bin2hex(random_bytes(16)),
    'uniqid' => uniqid('', true),
    'lcg_value' => lcg_value(),
    'array_rand' => array_rand(range(0, 1_000_000)),
    'str_shuffle' => str_shuffle('abcdefghijklmnopqrstuvwxyz'),
    'tempnam' => (static function (): string {
        $path = (string) tempnam(sys_get_temp_dir(), 'random');
        unlink($path);

        return basename($path);
    })(),
    'pid' => getmypid(),
]);
