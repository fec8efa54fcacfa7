<?php

declare(strict_types=1);

/*
 * The scripts beside this file in worker mode: booted once, then one script per request, chosen by path. `/hello`,
 * `/hello.php` and `/worker.php/hello` are the same.
 */

require_once __DIR__ . '/include/environment.php';
require_once __DIR__ . '/include/json_reply.php';

// A visitor who leaves must not end the loop.
ignore_user_abort(true);

// The boot's environment is read here: the super-globals belong to the requests later.
$shutdownFile = environment('SHUTDOWN_FILE');
$maxRequests = (int) (environment('MAX_REQUESTS') ?? 0);
$bootCounter = environment('BOOT_COUNTER');
$bootId = bin2hex(random_bytes(8));
$requests = 0;

$scripts = [];
foreach (glob(__DIR__ . '/*.php') ?: [] as $file) {
    $scripts['/' . basename($file, '.php')] = $file;
}
unset($scripts['/worker']);
$scripts['/'] = $scripts['/index'];

if ($bootCounter !== null) {
    file_put_contents($bootCounter, getmypid() . "\n", FILE_APPEND | LOCK_EX);
}

$handle = static function () use (&$requests, $bootId, $scripts): void {
    ++$requests;
    $path = (string) parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH);
    $path = preg_replace(['~^/worker\.php(?=/|$)~', '~\.php$~'], '', $path);
    $script = $scripts[$path === '' ? '/' : $path] ?? null;

    if ($script === null) {
        json_reply(['error' => 'no such script'], 404);

        return;
    }

    // A scope of its own per request, as a script has in classic mode: no variable survives it.
    (static function (string $script, int $requests, string $bootId): void {
        require $script;
    })($script, $requests, $bootId);
};

while (($maxRequests <= 0 || $requests < $maxRequests) && frankenphp_handle_request($handle)) {
    // Everything happens in the callback: nothing here outlives a request.
}

if ($shutdownFile !== null) {
    file_put_contents($shutdownFile, getmypid() . "\n", FILE_APPEND | LOCK_EX);
}
