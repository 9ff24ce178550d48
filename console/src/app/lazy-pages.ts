/** Pages whose code is loaded when someone first goes to them. */
import { lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { whenReachable } from '../api/connection.ts';

/** The pages' code is small and is fetched early, so that a stopped server does not keep anyone from a page. */
const FETCH_AFTER_MS = 5_000;
const pages: { preload?: () => Promise<unknown> | undefined }[] = [];

type Load = () => Promise<{ default: () => ReactNode }>;

export function page(load: Load) {
  const component = lazyRouteComponent(() => whenReachable(load));
  pages.push(component);
  return component;
}

export function fetchPagesEarly(): void {
  setTimeout(() => {
    for (const { preload } of pages) void preload?.()?.catch(() => undefined);
  }, FETCH_AFTER_MS);
}
