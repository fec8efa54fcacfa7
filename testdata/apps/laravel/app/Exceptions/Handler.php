<?php

declare(strict_types=1);

namespace App\Exceptions;

use Illuminate\Foundation\Exceptions\Handler as BaseHandler;
use Throwable;

final class Handler extends BaseHandler
{
    /**
     * Clients of the JSON routes get JSON errors also when they do not ask for them.
     */
    protected function shouldReturnJson($request, Throwable $e): bool
    {
        return $request->is('api/*', 'upload') || parent::shouldReturnJson($request, $e);
    }
}
