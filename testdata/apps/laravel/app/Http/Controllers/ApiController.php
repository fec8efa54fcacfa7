<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;

final class ApiController
{
    public function hello(): JsonResponse
    {
        return response()->json(['message' => 'Hello World']);
    }

    public function echo(Request $request): JsonResponse
    {
        // Laravel puts the query, or the JSON body, also where the form fields are.
        $hasForm = !$request->isJson() && !$request->isMethodSafe();

        return response()->json([
            'method' => $request->method(),
            'query' => $request->query->all(),
            'post' => $hasForm ? $request->request->all() : [],
            'json' => $request->isJson() ? $request->json()->all() : null,
        ]);
    }

    public function upload(Request $request): JsonResponse
    {
        $request->validate(['file' => 'required|file']);
        $file = $request->file('file');
        $name = $file->getClientOriginalName();

        // Moved as an application would, because only a file that PHP itself received can be moved.
        $moved = $file->move(sys_get_temp_dir(), bin2hex(random_bytes(16)));
        $answer = ['name' => $name, 'size' => $moved->getSize(), 'sha256' => hash_file('sha256', $moved->getPathname())];
        unlink($moved->getPathname());

        return response()->json($answer);
    }
}
