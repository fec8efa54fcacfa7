<?php

declare(strict_types=1);

/*
 * Routes with cookies, session and CSRF protection.
 */

use App\Http\Controllers\AccountController;
use App\Http\Controllers\FormController;
use App\Http\Controllers\PageController;
use Illuminate\Support\Facades\Route;

Route::get('/', [PageController::class, 'home'])->name('home');
Route::get('/table', [PageController::class, 'table'])->name('table');
Route::view('/upload', 'upload')->name('upload');

Route::get('/login', [AccountController::class, 'form'])->name('login');
Route::post('/login', [AccountController::class, 'login']);
Route::post('/logout', [AccountController::class, 'logout'])->name('logout');
Route::get('/me', [AccountController::class, 'me'])->name('me');

Route::get('/form', [FormController::class, 'show'])->name('form');
Route::post('/form', [FormController::class, 'submit']);

// Laravel's file sessions are not locked from start to end. Where requests of one visitor must not overtake each other,
// block() holds a lock of the cache for them.
Route::get('/counter', [FormController::class, 'counter'])->name('counter')->block(10, 10);
