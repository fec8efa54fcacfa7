<?php

declare(strict_types=1);

use App\Controller\AccountController;
use App\Controller\ApiController;
use App\Controller\FormController;
use App\Controller\PageController;
use App\Controller\ProbeController;
use App\Controller\UploadController;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

return static function (RoutingConfigurator $routes): void {
    $routes->add('home', '/')->controller([PageController::class, 'home'])->methods(['GET']);
    $routes->add('table', '/table')->controller([PageController::class, 'table'])->methods(['GET']);

    $routes->add('api_hello', '/api/hello')->controller([ApiController::class, 'hello'])->methods(['GET']);
    $routes->add('api_echo', '/api/echo')->controller([ApiController::class, 'echo']);

    $routes->add('login', '/login')->controller([AccountController::class, 'login'])->methods(['GET', 'POST']);
    $routes->add('logout', '/logout')->controller([AccountController::class, 'logout'])->methods(['POST']);
    $routes->add('me', '/me')->controller([AccountController::class, 'me'])->methods(['GET']);

    $routes->add('form', '/form')->controller([FormController::class, 'form'])->methods(['GET', 'POST']);
    $routes->add('upload', '/upload')->controller([UploadController::class, 'upload'])->methods(['GET', 'POST']);

    $routes->add('stream', '/stream')->controller([ProbeController::class, 'stream'])->methods(['GET']);
    $routes->add('slow', '/slow')->controller([ProbeController::class, 'slow'])->methods(['GET']);
    $routes->add('error', '/error')->controller([ProbeController::class, 'error'])->methods(['GET']);
    $routes->add('pid', '/pid')->controller([ProbeController::class, 'pid'])->methods(['GET']);
};
