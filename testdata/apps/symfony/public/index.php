<?php

declare(strict_types=1);

/*
 * Classic mode: one kernel per request.
 */

use App\Kernel;
use App\Lifetime;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__) . '/autoload.php';

Lifetime::begin(worker: false);
Lifetime::beginRequest();

$kernel = Kernel::fromEnvironment();
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
