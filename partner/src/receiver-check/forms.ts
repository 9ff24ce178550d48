/** `both`: the receiver must read either form, as the specification requires. */
export const checkedForms = ['data', 'flat', 'both'] as const;

export type CheckedForm = (typeof checkedForms)[number];
