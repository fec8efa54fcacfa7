<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use RuntimeException;
use Symfony\Component\HttpFoundation\StreamedResponse;

/**
 * Behaviours that are awkward for a server: slow, failing and piecewise responses.
 */
final class ProbeController
{
    private const TEXT = ['Content-Type' => 'text/plain; charset=UTF-8'];

    /**
     * `?pieces=` lines (default 5), `?ms=` milliseconds apart (default 20).
     */
    public function stream(Request $request): StreamedResponse
    {
        $pieces = max(1, (int) $request->query('pieces', 5));
        $pause = max(0, (int) $request->query('ms', 20));

        return response()->stream(static function () use ($pieces, $pause): void {
            for ($i = 1; $i <= $pieces; ++$i) {
                echo "piece {$i}\n";
                // output_buffering in php.ini adds a level of buffering that flush() alone does not reach.
                if (ob_get_level() > 0) {
                    ob_flush();
                }
                flush();
                if ($i < $pieces) {
                    usleep(1000 * $pause);
                }
            }
        }, 200, self::TEXT + ['X-Accel-Buffering' => 'no']);
    }

    public function slow(Request $request): JsonResponse
    {
        $milliseconds = max(0, (int) $request->query('ms', 100));
        usleep(1000 * $milliseconds);

        return response()->json(['slept_ms' => $milliseconds, 'pid' => getmypid()]);
    }

    public function error(): never
    {
        throw new RuntimeException('thrown by /error');
    }

    public function pid(): Response
    {
        return response((string) getmypid(), 200, self::TEXT);
    }
}
