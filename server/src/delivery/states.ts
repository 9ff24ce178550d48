/** The states of a delivery. Which table it is found in tells its state (store/queue/verbs.ts). */

/** Settled without being delivered: kept, shown, and sent again on request. */
export const givenUpStates = ['exhausted', 'cancelled'] as const;

export const deliveryStates = ['pending', 'delivered', ...givenUpStates, 'unrouted'] as const;

export type GivenUpState = (typeof givenUpStates)[number];

export type DeliveryState = (typeof deliveryStates)[number];

/** After an attempt. */
export type AttemptedState = Exclude<DeliveryState, 'unrouted'>;

export function isGivenUp(state: DeliveryState | undefined): state is GivenUpState {
  return givenUpStates.includes(state as GivenUpState);
}
