<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>@yield('title', 'Hathi')</title>
    <link rel="stylesheet" href="/app.css">
</head>
<body>
<header>
    <a class="brand" href="{{ route('home') }}">Hathi <span>Laravel demo</span></a>
    <nav>
        <a href="{{ route('table') }}">Table</a>
        <a href="{{ route('form') }}">Form</a>
        <a href="{{ route('login') }}">Login</a>
        <a href="{{ route('upload') }}">Upload</a>
        <a href="{{ route('api.hello') }}">JSON</a>
        <a href="{{ route('api.notes') }}">Notes</a>
        <a href="{{ route('stream', ['pieces' => 10, 'ms' => 300]) }}">Stream</a>
    </nav>
</header>
<main>
    @yield('body')
</main>
</body>
</html>
