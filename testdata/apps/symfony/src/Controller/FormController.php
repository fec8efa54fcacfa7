<?php

declare(strict_types=1);

namespace App\Controller;

use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

final class FormController extends AbstractController
{
    public function form(Request $request): Response
    {
        $error = null;
        $status = Response::HTTP_OK;
        $message = trim((string) $request->request->get('message'));

        if ($request->isMethod('POST')) {
            if (!$this->isCsrfTokenValid('form', (string) $request->request->get('_token'))) {
                [$error, $status] = ['The form has expired.', Response::HTTP_FORBIDDEN];
            } elseif ($message === '') {
                [$error, $status] = ['Please write a message.', Response::HTTP_UNPROCESSABLE_ENTITY];
            } else {
                $this->addFlash('notice', $message);

                return $this->redirectToRoute('form', status: Response::HTTP_SEE_OTHER);
            }
        }

        return $this->render('form.html.twig', ['error' => $error, 'message' => $message], new Response(status: $status));
    }
}
