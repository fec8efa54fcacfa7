<?php

declare(strict_types=1);

namespace App\Providers;

use App\Auth\DemoUserProvider;
use App\Database\NotesConnector;
use App\View\CompiledViewFiles;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\ServiceProvider;
use Illuminate\View\Compilers\BladeCompiler;

final class AppServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->app->bind('db.connector.sqlite', NotesConnector::class);
        $this->app->singleton('blade.compiler', static fn (Application $app): BladeCompiler => new BladeCompiler(
            new CompiledViewFiles(),
            $app['config']['view.compiled'],
        ));
    }

    public function boot(): void
    {
        Auth::provider('demo', static fn (Application $app): DemoUserProvider => new DemoUserProvider($app['hash']));
    }
}
