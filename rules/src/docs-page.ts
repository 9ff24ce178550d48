/** A page of the documentation, as the search box of the console or the portal finds it. */
export interface DocsPage {
  title: string;
  path: string;
  parts: { title: string; anchor: string }[];
}
