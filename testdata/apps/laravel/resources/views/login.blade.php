@extends('layout')

@section('title', 'Login')

@section('body')
    <h1>Login</h1>
    @if ($error)<p class="error">{{ $error }}</p>@endif
    @foreach ($errors->all() as $message)<p class="error">{{ $message }}</p>@endforeach
    @if ($user)
        <p>You are logged in as <strong>{{ $user }}</strong>.</p>
        <form method="post" action="{{ route('logout') }}">
            @csrf
            <button>Log out</button>
        </form>
    @else
        <form method="post">
            @csrf
            <label>Name <input name="user" autocomplete="username" value="{{ old('user') }}" required></label>
            <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
            <button>Log in</button>
        </form>
        <p class="hint">alice with "wonderland", or bob with "builder".</p>
    @endif
@endsection
