<?php

declare(strict_types=1);

/*
 * libxml2 through DOM, SimpleXML and XMLReader. libxml2 keeps its error and input handlers per thread, so this also shows
 * whether they are in place on the thread that runs the request: errors must be collected, not printed, and a file must
 * be readable through PHP's stream layer.
 */

require_once __DIR__ . '/include/json_reply.php';

$file = __DIR__ . '/fixtures/books.xml';
$internalErrors = libxml_use_internal_errors(true);

simplexml_load_string('<open><unclosed></open>');
$errors = array_map(static fn (LibXMLError $error): string => trim($error->message), libxml_get_errors());
libxml_clear_errors();

$simple = simplexml_load_string((string) file_get_contents($file));
$titles = array_map(strval(...), $simple->xpath('//title') ?: []);

$document = new DOMDocument();
$loaded = $document->load($file);
// A stream wrapper only works through PHP's own input handler, never through libxml2's.
$throughWrapper = (new DOMDocument())->load('data://text/xml,' . rawurlencode('<wrapped/>'));

$reader = XMLReader::open($file);
$elements = 0;
while ($reader->read()) {
    $elements += $reader->nodeType === XMLReader::ELEMENT ? 1 : 0;
}
$reader->close();

libxml_use_internal_errors($internalErrors);

json_reply([
    'internal_errors_before' => $internalErrors,
    'errors' => $errors,
    'titles' => $titles,
    'dom_loaded' => $loaded,
    'dom_books' => $document->getElementsByTagName('book')->length,
    'dom_through_wrapper' => $throughWrapper,
    'reader_elements' => $elements,
]);
