<?php

declare(strict_types=1);

namespace App\Controller;

use App\DemoUsers;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Login by session, done by hand: the security bundle is not needed to show that sessions are kept apart.
 */
final class AccountController extends AbstractController
{
    public function login(Request $request, DemoUsers $users): Response
    {
        $error = null;
        $status = Response::HTTP_OK;

        if ($request->isMethod('POST')) {
            $name = (string) $request->request->get('user');
            if (!$this->isCsrfTokenValid('login', (string) $request->request->get('_token'))) {
                [$error, $status] = ['The form has expired.', Response::HTTP_FORBIDDEN];
            } elseif (!$users->passwordMatches($name, (string) $request->request->get('password'))) {
                [$error, $status] = ['Wrong name or password.', Response::HTTP_UNAUTHORIZED];
            } else {
                // A new id, and the old one destroyed, or whoever planted that id would now be logged in too.
                $request->getSession()->migrate(true);
                $request->getSession()->set('user', $name);

                return $this->redirectToRoute('me', status: Response::HTTP_SEE_OTHER);
            }
        }

        return $this->render('login.html.twig', [
            'error' => $error,
            'user' => $request->getSession()->get('user'),
        ], new Response(status: $status));
    }

    public function logout(Request $request): Response
    {
        if (!$this->isCsrfTokenValid('logout', (string) $request->request->get('_token'))) {
            return new Response('The form has expired.', Response::HTTP_FORBIDDEN);
        }
        $request->getSession()->invalidate();

        return $this->redirectToRoute('home', status: Response::HTTP_SEE_OTHER);
    }

    public function me(Request $request): JsonResponse
    {
        // Without a cookie there is nobody to know: do not start a session for that.
        $user = $request->hasPreviousSession() ? $request->getSession()->get('user') : null;

        return new JsonResponse(
            ['user' => $user, 'pid' => getmypid()],
            $user === null ? Response::HTTP_UNAUTHORIZED : Response::HTTP_OK,
        );
    }
}
