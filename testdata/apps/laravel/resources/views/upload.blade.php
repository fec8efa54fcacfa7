@extends('layout')

@section('title', 'Upload')

@section('body')
    <h1>Upload</h1>
    <form method="post" enctype="multipart/form-data">
        <label>File <input name="file" type="file" required></label>
        <button>Upload</button>
    </form>
@endsection
