/** How to verify a webhook, in the words of the partner guide: its tests run these very files. */
import csharp from '../../../../docs/partner-guide/snippets/Verify.cs?raw';
import java from '../../../../docs/partner-guide/snippets/Verify.java?raw';
import go from '../../../../docs/partner-guide/snippets/verify.go?raw';
import php from '../../../../docs/partner-guide/snippets/verify.php?raw';
import python from '../../../../docs/partner-guide/snippets/verify.py?raw';
import typescript from '../../../../docs/partner-guide/snippets/verify.ts?raw';

export const snippets = {
  TypeScript: typescript,
  Python: python,
  PHP: php,
  Go: go,
  Java: java,
  'C#': csharp,
};
export type Language = keyof typeof snippets;
