<?php

declare(strict_types=1);

/*
 * Worker mode: the application is booted once, and each request gets a copy of it.
 */

use App\Lifetime;
use App\Worker\Sandbox;
use App\Worker\Warmup;
use Illuminate\Http\Request;
use Illuminate\Support\Env;

$app = require dirname(__DIR__) . '/bootstrap/app.php';

// A visitor who leaves must not end the loop.
ignore_user_abort(true);

$maxRequests = (int) Env::get('MAX_REQUESTS', 0);

Warmup::run($app);
Lifetime::begin(worker: true);

$sandbox = $response = null;
$handle = static function () use ($app, &$sandbox, &$response): void {
    Lifetime::beginRequest();

    $sandbox = new Sandbox($app, Request::capture());
    $response = $sandbox->handle();
    $response->send();
};

for ($served = 0; ($maxRequests <= 0 || $served < $maxRequests) && frankenphp_handle_request($handle); ++$served) {
    // The client has its response by now, and does not wait for this. There is none if the callback failed.
    try {
        if ($sandbox !== null && $response !== null) {
            $sandbox->terminate($response);
        }
    } finally {
        $sandbox?->close();
        $sandbox = $response = null;
    }
}

$app->terminate();
Lifetime::end();
