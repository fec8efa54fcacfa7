<?php

declare(strict_types=1);

use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;

use function Symfony\Component\DependencyInjection\Loader\Configurator\service;

return static function (ContainerConfigurator $container): void {
    $services = $container->services()->defaults()->autowire()->autoconfigure();

    $services->load('App\\Controller\\', '../src/Controller/')->tag('controller.service_arguments');
    $services->set(App\DemoUsers::class);
    $services->set('app.session_handler', StrictSessionHandler::class)
        ->factory([service('kernel'), 'createSessionHandler']);
};
