import { useEffect, useEffectEvent, useState } from 'react';

/** Enter that is pressed before the results are there waits for them; typing on takes it back. */
export function useEarlyEnter(isSearching: boolean, onResults: () => void) {
  const [isPressed, setPressed] = useState(false);
  const act = useEffectEvent(onResults);
  useEffect(() => {
    if (!isPressed || isSearching) return;
    setPressed(false);
    act();
  }, [isPressed, isSearching]);
  return { remember: () => setPressed(true), forget: () => setPressed(false) };
}
