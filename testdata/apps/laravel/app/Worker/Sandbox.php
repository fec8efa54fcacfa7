<?php

declare(strict_types=1);

namespace App\Worker;

use App\Application;
use Illuminate\Container\Container;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Routing\Route;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Str;
use Symfony\Component\HttpFoundation\Response;

/**
 * A copy of the booted application that serves one request and is thrown away, as Laravel Octane does it.
 *
 * Cloning the container gives it its own bindings and instances, but the services in it that were resolved at boot are
 * the same objects. So every one of them that keeps something of a request, or the container that it resolves from, is
 * replaced, emptied or pointed at the copy.
 */
final class Sandbox
{
    private readonly Application $sandbox;

    public function __construct(private readonly Application $app, private readonly Request $request)
    {
        $this->sandbox = clone $app;
        $this->makeCurrent($this->sandbox);
        $this->replaceServices();
        $this->emptyServices();

        // Closures of the service providers hold the application of the boot.
        $this->app->instance('request', $request);
    }

    public function handle(): Response
    {
        return $this->sandbox->make(Kernel::class)->handle($this->request);
    }

    /**
     * The work after the response: terminable middleware and callbacks.
     */
    public function terminate(Response $response): void
    {
        $this->sandbox->make(Kernel::class)->terminate($this->request, $response);
    }

    /**
     * Lets go of all that the request made, also after it failed.
     */
    public function close(): void
    {
        // A route keeps the controller that it made, and that the container it was made from.
        $route = $this->request->route();
        if ($route instanceof Route) {
            $route->flushController();
        }
        // Done once more: what this visitor left must not wait in memory for the next one.
        $this->emptyServices();
        $this->sandbox->flush();
        $this->app->forgetInstance('request');
        $this->makeCurrent($this->app);
    }

    /**
     * Makes $current the application that helpers, facades and the shared services resolve from.
     */
    private function makeCurrent(Application $current): void
    {
        $current->instance('app', $current);
        $current->instance(Container::class, $current);
        Container::setInstance($current);
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication($current);

        $current->make(Kernel::class)->setApplication($current);
        $current->make('auth')->setApplication($current);
        $current->make('db')->setApplication($current);
        $current->make('router')->setContainer($current);
        $current->make('session')->setContainer($current);
        $current->make('validator')->setContainer($current);
    }

    /**
     * Services whose state of the boot is what each request starts from: the request gets a copy.
     */
    private function replaceServices(): void
    {
        $this->sandbox->instance('config', clone $this->app->make('config'));
        $this->sandbox->instance('url', clone $this->app->make('url'));

        // Shared view data, among it the previous visitor's validation errors, stays in the copy.
        $view = clone $this->app->make('view');
        $view->setContainer($this->sandbox);
        $view->share('app', $this->sandbox);
        $view->share('__env', $view);
        $this->sandbox->instance('view', $view);
    }

    /**
     * Services that are shared, and whose state belongs to one request.
     */
    private function emptyServices(): void
    {
        $this->sandbox->make('auth')->forgetGuards();
        $this->sandbox->make('cookie')->flushQueuedCookies();
        // A new store is made for each request: one that is reused merges the next session into what it still holds.
        $this->sandbox->make('session')->forgetDrivers();

        $config = $this->app->make('config');
        $translator = $this->sandbox->make('translator');
        $translator->setLocale($config->get('app.locale'));
        $translator->setFallback($config->get('app.fallback_locale'));

        foreach ($this->sandbox->make('log')->getChannels() as $channel) {
            $channel->withoutContext();
        }

        // Connections stay open for the next request, but no transaction of a request that failed does.
        foreach ($this->sandbox->make('db')->getConnections() as $connection) {
            if ($connection->transactionLevel() > 0) {
                $connection->rollBack(0);
            }
            $connection->flushQueryLog();
            $connection->forgetRecordModificationState();
        }

        // Grows with every string that it sees, and some come from visitors.
        Str::flushCache();
    }
}
