<?php

declare(strict_types=1);

namespace App\Controller;

use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\File\UploadedFile;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

final class UploadController extends AbstractController
{
    public function upload(Request $request): Response
    {
        if ($request->isMethod('GET')) {
            return $this->render('upload.html.twig');
        }

        $file = $request->files->get('file');
        if (!$file instanceof UploadedFile) {
            return new JsonResponse(['error' => 'The field "file" is missing.'], Response::HTTP_BAD_REQUEST);
        }
        if (!$file->isValid()) {
            return new JsonResponse(['error' => $file->getErrorMessage()], Response::HTTP_BAD_REQUEST);
        }

        // Moved as an application would, because only a file that PHP itself received can be moved.
        $moved = $file->move(sys_get_temp_dir(), bin2hex(random_bytes(16)));
        $answer = [
            'name' => $file->getClientOriginalName(),
            'size' => $moved->getSize(),
            'sha256' => hash_file('sha256', $moved->getPathname()),
        ];
        unlink($moved->getPathname());

        return new JsonResponse($answer);
    }
}
