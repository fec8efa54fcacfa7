<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Contracts\View\View;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\RedirectResponse;
use Illuminate\Http\Request;

final class FormController
{
    public function show(): View
    {
        return view('form');
    }

    public function submit(Request $request): RedirectResponse
    {
        $data = $request->validate(['message' => 'required|string|max:500']);

        return redirect()->route('form', status: 303)->with('notice', $data['message']);
    }

    public function counter(Request $request): JsonResponse
    {
        return response()->json(['count' => $request->session()->increment('count')]);
    }
}
