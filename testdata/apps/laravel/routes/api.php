<?php

declare(strict_types=1);

/*
 * Routes without state.
 */

use App\Http\Controllers\ApiController;
use App\Http\Controllers\NoteController;
use App\Http\Controllers\ProbeController;
use Illuminate\Support\Facades\Route;

Route::get('/api/hello', [ApiController::class, 'hello'])->name('api.hello');
Route::any('/api/echo', [ApiController::class, 'echo']);
Route::post('/upload', [ApiController::class, 'upload']);

Route::get('/api/notes', [NoteController::class, 'index'])->name('api.notes');
Route::post('/api/notes', [NoteController::class, 'store']);
Route::get('/api/notes/{note}', [NoteController::class, 'show'])->whereNumber('note');
Route::delete('/api/notes/{note}', [NoteController::class, 'destroy'])->whereNumber('note');

Route::get('/stream', [ProbeController::class, 'stream'])->name('stream');
Route::get('/slow', [ProbeController::class, 'slow']);
Route::get('/error', [ProbeController::class, 'error']);
Route::get('/pid', [ProbeController::class, 'pid']);
