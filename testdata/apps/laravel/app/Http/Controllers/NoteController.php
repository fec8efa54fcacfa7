<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Note;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

final class NoteController
{
    public function index(): JsonResponse
    {
        return response()->json(['notes' => Note::query()->latest('id')->limit(50)->get()]);
    }

    public function store(Request $request): JsonResponse
    {
        $data = $request->validate([
            'title' => 'required|string|max:100',
            'body' => 'nullable|string|max:10000',
        ]);

        return response()->json(Note::query()->create($data), 201);
    }

    public function show(Note $note): JsonResponse
    {
        return response()->json($note);
    }

    public function destroy(Note $note): Response
    {
        $note->delete();

        return response()->noContent();
    }
}
