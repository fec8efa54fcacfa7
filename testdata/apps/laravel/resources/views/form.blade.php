@extends('layout')

@section('title', 'Form')

@section('body')
    <h1>A form</h1>
    @if (session('notice'))<p class="notice">Received: {{ session('notice') }}</p>@endif
    @error('message')<p class="error">{{ $message }}</p>@enderror
    <form method="post">
        @csrf
        <label>Message <textarea name="message" rows="4" required>{{ old('message') }}</textarea></label>
        <button>Send</button>
    </form>
@endsection
