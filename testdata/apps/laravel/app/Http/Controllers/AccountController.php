<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\RedirectResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Auth;

final class AccountController
{
    public function form(): Response
    {
        return response()->view('login', ['user' => Auth::id(), 'error' => null]);
    }

    public function login(Request $request): Response|RedirectResponse
    {
        $credentials = $request->validate(['user' => 'required|string', 'password' => 'required|string']);
        if (!Auth::attempt($credentials)) {
            return response()->view('login', ['user' => null, 'error' => 'Wrong name or password.'], 401);
        }
        // A new id, or whoever planted the old one would now be logged in too.
        $request->session()->regenerate(true);

        return redirect()->route('me', status: 303);
    }

    public function logout(Request $request): RedirectResponse
    {
        Auth::logout();
        $request->session()->invalidate();
        $request->session()->regenerateToken();

        return redirect()->route('home', status: 303);
    }

    public function me(): JsonResponse
    {
        $user = Auth::id();

        return response()->json(['user' => $user, 'pid' => getmypid()], $user === null ? 401 : 200);
    }
}
