<?php

declare(strict_types=1);

/*
 * Makes the application. public/index.php and public/worker.php both start here.
 */

use App\Application;
use App\Exceptions\Handler;
use App\Http\Kernel;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as KernelContract;

require_once __DIR__ . '/autoload.php';

$app = Application::fromEnvironment(dirname(__DIR__));
$app->singleton(KernelContract::class, Kernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);

return $app;
