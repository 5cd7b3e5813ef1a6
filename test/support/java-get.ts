/** `Get.java`: prints what a URL answers, by the means that every Java has. */
export const JAVA_GET = `public class Get { public static void main(String[] a) throws Exception {
  System.out.write(new java.net.URL(a[0]).openStream().readAllBytes()); System.out.flush(); } }`;
