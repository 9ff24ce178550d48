/** The theme of VitePress without its fonts, which would be most of what a page loads. */
import theme from 'vitepress/theme-without-fonts';
import './bellhop.css';

export default theme;
