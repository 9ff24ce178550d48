/** The APIs that the reference shows to readers of this site. */
export const documents = [
  { title: 'Partner API', slug: 'partner', url: '/openapi/partner.json' },
  { title: 'Back office', slug: 'back-office', url: '/openapi.json' },
];
