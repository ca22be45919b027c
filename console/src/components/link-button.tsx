import { Button, type ButtonProps } from '@patternfly/react-core';
import type { ComponentProps } from 'react';
import { Link } from 'react-router-dom';

/** A button that opens a page: a real link, so that it opens in a new tab as well. */
export function LinkButton({ to, ...props }: { to: string } & Omit<ButtonProps, 'component' | 'ref' | 'href'>) {
  return <Button {...props} component={(inner: ComponentProps<'a'>) => <Link {...inner} to={to} />} />;
}
