/** The APIs that the reference shows to partners, on the portal's listener. */
export const documents = [
  { title: 'Partner API', slug: 'partner', url: '/openapi/partner.json' },
  { title: 'Portal', slug: 'portal', url: '/openapi.json' },
];
