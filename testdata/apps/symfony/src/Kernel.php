<?php

declare(strict_types=1);

namespace App;

use SessionHandlerInterface;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Bundle\TwigBundle\TwigBundle;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\NativeFileSessionHandler;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    private readonly Environment $environmentVariables;

    public function __construct(Environment $environment)
    {
        $this->environmentVariables = $environment;
        parent::__construct($environment->name, $environment->debug);
    }

    public static function fromEnvironment(): self
    {
        return new self(Environment::read(dirname(__DIR__)));
    }

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        yield new TwigBundle();
    }

    public function getProjectDir(): string
    {
        return dirname(__DIR__);
    }

    public function getCacheDir(): string
    {
        return $this->environmentVariables->cacheDir . '/' . $this->environment;
    }

    public function getLogDir(): string
    {
        return $this->environmentVariables->cacheDir . '/log';
    }

    /**
     * The factory of the session.handler service. The directory is no part of the compiled container, which outlives
     * the environment that it was compiled in.
     *
     * PHP's own file handler locks a session from its start to its end; the strict one accepts no id that a visitor
     * made up.
     */
    public function createSessionHandler(): SessionHandlerInterface
    {
        return new StrictSessionHandler(new NativeFileSessionHandler($this->environmentVariables->sessionDir));
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->import('../config/packages/*.php');
        $container->import('../config/services.php');
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->import('../config/routes.php');
    }
}
