/** What the parts of every page say, whatever the page is about. */
import type { ReactNode } from 'react';

export const parts = {
  connection: {
    lost: 'The server cannot be reached.',
    stale: (ago: ReactNode) => (
      <>You see what was read {ago}. The page goes on by itself when the server is back.</>
    ),
    unread: 'The server cannot be reached. The page tries again by itself.',
    unknownOutcome:
      'The server cannot be reached, so nobody knows whether this was done. Check before you try again.',
    unexpectedReply: (status: string) => `The server answered ${status}. Try again in a moment.`,
    fault: (detail: string) =>
      `The page failed: ${detail} Reload it; if it happens again, report it.`,
    retry: 'Try again',
  },
  page: {
    skip: 'Skip to the content',
    verdict: 'Verdict',
    loading: 'Loading',
    live: 'Live',
    stale: (span: string) => `Not updated for ${span}`,
  },
  shell: {
    menu: 'Menu',
    openMenu: 'Open the menu',
    closeMenu: 'Close the menu',
    environment: 'Environment',
    pages: 'Pages',
    unanswered: 'without an answer',
    dismiss: 'Dismiss',
    undo: 'Undo',
    undoKey: 'Control+Z',
  },
  palette: {
    list: 'Results',
    titles: { actions: 'On this page', pages: 'Pages', docs: 'Documentation' },
    hint: '↑ ↓ to choose, Enter to open',
  },
  keyboard: {
    title: 'Keyboard shortcuts',
    inBetween: ' then ',
    does: {
      search: 'Search everything',
      searchAnywhere: 'Search everything, also while typing; on a Mac, ⌘K',
      nextRow: 'Go to the next row',
      rowBefore: 'Go to the row before',
      openRow: 'Open the row',
      goTo: (page: string) => `Go to ${page}`,
      help: 'Show these shortcuts',
      tab: 'Go to the next control; the first ones are the menu',
      close: 'Close the dialog or the search',
    },
  },
  account: {
    label: ', account',
    colours: 'Colours',
    themes: { system: 'Same as the system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
  },
  zone: {
    timesIn: (zone: string) => `Times in ${zone}`,
    label: 'Time zone',
    names: { local: 'Local', utc: 'UTC' },
  },
  copying: {
    copy: (what: string) => `Copy ${what}`,
    /** What has a heading of its own: "Body sent". */
    copyTitled: (title: string) => `Copy ${title.toLowerCase()}`,
    copied: 'Copied',
    spoken: 'Copied.',
    asCurl: 'Copy as curl',
    asCurlOf: (what: string) => `Copy as curl: ${what}`,
    refused: 'The browser does not allow copying here. Select the text and copy it.',
  },
  dialogs: {
    close: 'Close',
    cancel: 'Cancel',
    saved: 'I have saved it',
    reason: 'Reason',
    reasonHint: 'For your colleagues. It is kept in the audit.',
    typed: (wanted: ReactNode) => <>Type {wanted} to confirm</>,
  },
  filters: {
    title: 'Filters',
    more: 'More filters',
    fewer: 'Fewer filters',
    clear: 'Clear all',
    any: 'Any',
    name: 'Name',
    nameHint: 'part of the name',
  },
  times: {
    date: (label: string) => `${label}, date`,
    clock: (label: string) => `${label}, time of day`,
    clockHint: 'hh:mm',
    zone: (name: string) => `In ${name}.`,
    span: (zone: string) => `Time, in ${zone}`,
    spans: {
      hour: 'Last hour',
      day: 'Last 24 hours',
      today: 'Today',
      yesterday: 'Yesterday',
      week: 'Last 7 days',
      month: 'Last 30 days',
    },
    range: 'Range…',
    since: 'Since',
    until: 'Until',
  },
  lists: {
    more: 'Show more',
    toEnd: (end: ReactNode) => <>Jump to the end: {end}</>,
  },
  views: {
    title: 'Views',
    forget: 'Forget this view',
    save: 'Save this view…',
    copyLink: 'Copy link',
    linkCopied: 'Link copied',
    saveTitle: 'Save this view',
    saveSubmit: 'Save',
    name: 'Name',
    nameHint: 'This browser keeps it. To share it, send its link.',
    saved: (name: string) => `Saved the view ${name}.`,
  },
  charts: {
    numbers: 'Numbers',
    numbersOf: (title: string) => `${title}, numbers`,
    from: (zone: string) => `From, in ${zone}`,
    opens: (what: string) => `click to open ${what}`,
  },
};
