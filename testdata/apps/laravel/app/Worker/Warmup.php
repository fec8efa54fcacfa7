<?php

declare(strict_types=1);

namespace App\Worker;

use App\Application;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Facade;
use Symfony\Component\Finder\Finder;

/**
 * What is done once, before the first request, so that no request has to.
 */
final class Warmup
{
    /**
     * Resolved now, and so shared by all requests; Sandbox knows which of them keep something of a request. A service
     * that is not named here is made anew in each request that uses it.
     */
    private const SERVICES = [
        'auth', 'blade.compiler', 'cache', 'config', 'cookie', 'db', 'db.factory', 'encrypter', 'events', 'files',
        'hash', 'log', 'router', 'session', 'translator', 'url', 'validator', 'view', 'view.engine.resolver',
        Kernel::class,
    ];

    public static function run(Application $app): void
    {
        // The URL generator cannot be made without a request.
        $app->instance('request', Request::create('http://localhost'));
        $app->make(Kernel::class)->bootstrap();
        foreach (self::SERVICES as $service) {
            $app->make($service);
        }
        self::compileViews($app);

        $app->forgetInstance('request');
        Facade::clearResolvedInstances();
        self::disconnectDatabases($app);
    }

    private static function compileViews(Application $app): void
    {
        $compiler = $app->make('blade.compiler');
        foreach (Finder::create()->files()->name('*.blade.php')->in($app['config']['view.paths']) as $view) {
            if ($compiler->isExpired($view->getPathname())) {
                $compiler->compile($view->getPathname());
            }
        }
    }

    /**
     * The server forks this process. An SQLite handle must not be carried over a fork: it can corrupt the database. Each
     * process opens its own with its first query.
     */
    private static function disconnectDatabases(Application $app): void
    {
        foreach (array_keys($app['db']->getConnections()) as $name) {
            $app['db']->purge($name);
        }
    }
}
