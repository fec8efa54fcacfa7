@extends('layout')

@section('title', 'Table')

@section('body')
    <h1>Fifty elephants</h1>
    <table>
        <thead>
        <tr><th>#</th><th>Name</th><th>Weight</th><th>Born</th></tr>
        </thead>
        <tbody>
        @foreach ($rows as $row)
            <tr class="{{ $loop->odd ? 'odd' : 'even' }}">
                <td>{{ $row['number'] }}</td>
                <td>{{ $row['name'] }}</td>
                <td>{{ number_format($row['weight']) }} kg</td>
                <td>{{ $row['born'] }}</td>
            </tr>
        @endforeach
        </tbody>
    </table>
@endsection
