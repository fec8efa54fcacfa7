<?php

declare(strict_types=1);

namespace App\Controller;

use JsonException;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;

/**
 * Not an AbstractController: it needs no service, so a request for it builds none.
 */
final class ApiController
{
    public function hello(): JsonResponse
    {
        return new JsonResponse(['message' => 'Hello World']);
    }

    public function echo(Request $request): JsonResponse
    {
        $json = null;
        if ($request->getContentType() === 'json' && $request->getContent() !== '') {
            try {
                $json = json_decode($request->getContent(), true, flags: JSON_THROW_ON_ERROR);
            } catch (JsonException $exception) {
                return new JsonResponse(['error' => $exception->getMessage()], 400);
            }
        }

        return new JsonResponse([
            'method' => $request->getMethod(),
            'query' => $request->query->all(),
            'post' => $request->request->all(),
            'json' => $json,
        ]);
    }
}
