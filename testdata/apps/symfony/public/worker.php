<?php

declare(strict_types=1);

/*
 * Worker mode: one kernel for all requests of this process.
 */

use App\Environment;
use App\Kernel;
use App\Lifetime;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__) . '/autoload.php';

// A visitor who leaves must not end the loop.
ignore_user_abort(true);

$maxRequests = (int) (Environment::variable('FRANKENPHP_LOOP_MAX') ?? 0);

$kernel = Kernel::fromEnvironment();
$kernel->boot();
// Build what every request needs now: once, and shared by all processes that are forked from this one.
foreach (['http_kernel', 'router'] as $service) {
    $kernel->getContainer()->get($service);
}

Lifetime::begin(worker: true);

$request = $response = null;
$handle = static function () use ($kernel, &$request, &$response): void {
    Lifetime::beginRequest();

    // From the second request on, handle() first lets the services_resetter clear what the last request left in services.
    $request = Request::createFromGlobals();
    $response = $kernel->handle($request);
    $response->send();
};

for ($served = 0; ($maxRequests <= 0 || $served < $maxRequests) && frankenphp_handle_request($handle); ++$served) {
    // The client has its response by now, and does not wait for this. There is none if the callback failed.
    if ($request !== null && $response !== null) {
        $kernel->terminate($request, $response);
    }
    // Whoever used the session after the response, in a stream or in terminate(), has opened it again. The session object
    // is a shared service: left open, it would hand this visitor's data to the next one instead of starting anew.
    if ($request !== null && $request->hasSession(true) && $request->getSession()->isStarted()) {
        $request->getSession()->save();
    }
    $request = $response = null;
}

$kernel->shutdown();
Lifetime::end();
