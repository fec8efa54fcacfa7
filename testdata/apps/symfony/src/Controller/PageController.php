<?php

declare(strict_types=1);

namespace App\Controller;

use App\Lifetime;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Kernel;

final class PageController extends AbstractController
{
    public function home(): Response
    {
        return $this->render('home.html.twig', [
            'lifetime' => Lifetime::describe(),
            'php_version' => PHP_VERSION,
            'sapi' => PHP_SAPI,
            'symfony_version' => Kernel::VERSION,
            'opcache' => $this->opcacheState(),
        ]);
    }

    public function table(): Response
    {
        $rows = [];
        for ($i = 1; $i <= 50; ++$i) {
            $rows[] = [
                'number' => $i,
                'name' => sprintf('Elephant <%02d>', $i),
                'weight' => 2500 + $i * 37 % 1000,
                'born' => 1960 + $i,
            ];
        }

        return $this->render('table.html.twig', ['rows' => $rows]);
    }

    private function opcacheState(): string
    {
        // False also when opcache.restrict_api keeps this script from asking.
        $status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
        if ($status === false || !$status['opcache_enabled']) {
            return 'off';
        }

        return ($status['jit']['on'] ?? false) ? 'on, with JIT' : 'on, without JIT';
    }
}
