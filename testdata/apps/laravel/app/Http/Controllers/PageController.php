<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Lifetime;
use Illuminate\Contracts\View\View;
use Illuminate\Foundation\Application;

final class PageController
{
    public function home(): View
    {
        return view('home', [
            'lifetime' => Lifetime::describe(),
            'laravelVersion' => Application::VERSION,
            'opcache' => $this->opcacheState(),
        ]);
    }

    public function table(): View
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

        return view('table', ['rows' => $rows]);
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
