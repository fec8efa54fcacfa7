@extends('layout')

@section('title', "Hathi's Laravel demo")

@section('body')
    <h1>Hathi's Laravel demo</h1>
    <p>
        @if ($lifetime['mode'] === 'worker')
            The application was booted once and has served {{ $lifetime['requests'] }}
            {{ $lifetime['requests'] === 1 ? 'request' : 'requests' }} in this process. Reload the page and watch the number grow.
        @else
            The application was booted for this request alone, as under PHP-FPM.
        @endif
    </p>
    <dl class="facts">
        <div><dt>Mode</dt><dd id="mode">{{ $lifetime['mode'] }}</dd></div>
        <div><dt>Process</dt><dd id="pid">{{ $lifetime['pid'] }}</dd></div>
        <div><dt>Boots</dt><dd id="boots">{{ $lifetime['boots'] }}</dd></div>
        <div><dt>Requests since boot</dt><dd id="requests">{{ $lifetime['requests'] }}</dd></div>
        <div><dt>PHP</dt><dd id="php">{{ PHP_VERSION }} <small>({{ PHP_SAPI }})</small></dd></div>
        <div><dt>Laravel</dt><dd id="laravel">{{ $laravelVersion }}</dd></div>
        <div><dt>OPcache</dt><dd id="opcache">{{ $opcache }}</dd></div>
    </dl>
@endsection
