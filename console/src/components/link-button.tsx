import { Button, type ButtonProps } from '@patternfly/react-core';
import { Link } from 'react-router-dom';

/** A button that opens a page: a real link, so that it opens in a new tab as well. */
export function LinkButton({ to, ...props }: { to: string } & Omit<ButtonProps, 'component' | 'ref' | 'href'>) {
  // PatternFly passes unknown properties on to the component, but its types lack them.
  const target = { to } as object;
  return <Button {...props} component={Link as unknown as 'a'} {...target} />;
}
