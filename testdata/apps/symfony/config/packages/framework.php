<?php

declare(strict_types=1);

use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;

return static function (ContainerConfigurator $container): void {
    $container->extension('framework', [
        // Made when the container is compiled, so it lives as long as the cache. Nothing that this application signs has
        // to live longer, and no secret has to be in the checkout.
        'secret' => bin2hex(random_bytes(32)),
        'http_method_override' => false,
        'router' => ['utf8' => true],
        'php_errors' => ['log' => true],
        'csrf_protection' => true,
        'session' => [
            'storage_factory_id' => 'session.storage.factory.native',
            'handler_id' => 'app.session_handler',
            'name' => 'hathi_symfony',
            'cookie_secure' => 'auto',
            'cookie_samesite' => 'lax',
        ],
    ]);
};
