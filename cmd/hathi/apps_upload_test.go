package main_test

import (
	"bytes"
	"mime/multipart"
)

// upload is a file of a form.
type upload struct {
	field, name string
	data        []byte
}

// multipartBody makes a form with files, and its content type.
func multipartBody(fields map[string]string, files ...upload) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		_ = w.WriteField(name, value) // a bytes.Buffer has no errors
	}
	for _, f := range files {
		part, _ := w.CreateFormFile(f.field, f.name)
		_, _ = part.Write(f.data)
	}
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}
