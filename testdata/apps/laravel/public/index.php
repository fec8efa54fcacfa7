<?php

declare(strict_types=1);

/*
 * Classic mode: one application per request.
 */

use App\Lifetime;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;

$app = require dirname(__DIR__) . '/bootstrap/app.php';

Lifetime::begin(worker: false);
Lifetime::beginRequest();

$kernel = $app->make(Kernel::class);
$request = Request::capture();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
