/**
 * The frame of every page: its title, which gets the focus when one comes to the page, so that
 * keyboards and screen readers start where the eyes do.
 */
import { type ReactNode, useEffect, useRef } from 'react';
import { useDesk } from '../desk.tsx';
import { Link } from '../router.tsx';

interface Props {
  title: string;
  /** What stands above the title: the way back up. */
  up?: { to: string; title: string };
  badges?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, up, badges, about, actions, children }: Props) {
  const { environment } = useDesk();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${environment} · Bellhop`;
  }, [title, environment]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-names">
          {up && (
            <Link className="page-up" to={up.to}>
              {up.title}
            </Link>
          )}
          <div className="page-title">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badges}
          </div>
          {about && <div className="page-about">{about}</div>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section" aria-label={title}>
      <header className="section-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
