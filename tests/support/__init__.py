"""What tests share: a writer of .tflite files, random models, a mutator of files."""
